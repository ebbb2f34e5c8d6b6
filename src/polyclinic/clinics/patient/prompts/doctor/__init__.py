"""What the doctor's side is asked: triage, questions, calling in others, cheating to test the patient, conclusions.

What a doctor says is plain text. Decisions have fixed choices, which come from the prompt's own fields.
"""
