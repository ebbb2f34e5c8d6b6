"""The data of simulated people: names, addresses, personalities, profiles."""
