"""What the patient's side is asked: the complaint, the answers by each method, a crisis. Speech is plain text."""
