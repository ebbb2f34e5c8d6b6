"""Small language tools for English and Korean that every room shares: sentences, words, phrases, normal forms."""
