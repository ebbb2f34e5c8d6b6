"""What must hold, whatever anybody says: the guard, the stages, the risk types, the set messages."""
