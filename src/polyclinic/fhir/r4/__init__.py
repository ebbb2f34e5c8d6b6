"""FHIR R4 at the edge: the resources of scheduling, mapped from and to R5. Nothing inside knows R4."""
