"""What changes: prompt books, style, memory, and the ward that carries them from episode to episode."""
