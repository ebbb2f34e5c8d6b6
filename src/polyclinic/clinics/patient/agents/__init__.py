"""The cast: the patient and its helpers, the doctors, and the players who test the patient."""
