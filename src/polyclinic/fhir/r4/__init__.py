"""FHIR R4 for clients: the scheduling resources, mapped from R5 and to R5. Inside, everything is R5."""
