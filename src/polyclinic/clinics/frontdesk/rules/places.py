"""States, countries and towns by one name each: an address means the same whichever of their names it has."""

from __future__ import annotations

STATES = {
    "alabama": "al", "alaska": "ak", "arizona": "az", "arkansas": "ar", "california": "ca", "colorado": "co",
    "connecticut": "ct", "delaware": "de", "florida": "fl", "georgia": "ga", "hawaii": "hi", "idaho": "id",
    "illinois": "il", "indiana": "in", "iowa": "ia", "kansas": "ks", "kentucky": "ky", "louisiana": "la", "maine": "me",
    "maryland": "md", "massachusetts": "ma", "michigan": "mi", "minnesota": "mn", "mississippi": "ms",
    "missouri": "mo", "montana": "mt", "nebraska": "ne", "nevada": "nv", "new hampshire": "nh", "new jersey": "nj",
    "new mexico": "nm", "new york": "ny", "north carolina": "nc", "north dakota": "nd", "ohio": "oh", "oklahoma": "ok",
    "oregon": "or", "pennsylvania": "pa", "rhode island": "ri", "south carolina": "sc", "south dakota": "sd",
    "tennessee": "tn", "texas": "tx", "utah": "ut", "vermont": "vt", "virginia": "va", "washington": "wa",
    "west virginia": "wv", "wisconsin": "wi", "wyoming": "wy", "ontario": "on", "quebec": "qc",
    "british columbia": "bc", "alberta": "ab", "manitoba": "mb", "saskatchewan": "sk", "nova scotia": "ns",
    "gyeongsangnam-do": "gyeongnam", "gyeongsangbuk-do": "gyeongbuk", "jeollanam-do": "jeonnam",
    "jeollabuk-do": "jeonbuk", "chungcheongnam-do": "chungnam", "chungcheongbuk-do": "chungbuk",
    "gyeonggi-do": "gyeonggi", "gangwon-do": "gangwon", "jeju-do": "jeju",
    "new brunswick": "nb", "new south wales": "nsw", "victoria": "vic", "queensland": "qld",
}  # fmt: skip
STATES |= {name.replace("-do", "do"): short for name, short in STATES.items() if name.endswith("-do")}
"""States and provinces, which addresses give by two letters. Hangul has no hyphen in a province's name."""
COUNTRIES = {
    "united states of america": "usa", "united states": "usa", "u s a": "usa", "us": "usa", "america": "usa",
    "united kingdom": "uk", "great britain": "uk", "aus": "australia", "deutschland": "germany",
    "republic of korea": "korea", "rep of korea": "korea", "s korea": "korea", "rok": "korea",
    "south korea": "korea", "italia": "italy", "espana": "spain", "brasil": "brazil",
    "nippon": "japan", "bharat": "india", "holland": "netherlands", "the netherlands": "netherlands",
    "nz": "new zealand", "viet nam": "vietnam",
}  # fmt: skip
TOWNS = {
    "koln": "cologne", "koeln": "cologne", "munchen": "munich", "muenchen": "munich", "nurnberg": "nuremberg",
    "wien": "vienna", "zuerich": "zurich", "geneve": "geneva", "genf": "geneva", "milano": "milan", "roma": "rome",
    "firenze": "florence", "venezia": "venice", "napoli": "naples", "torino": "turin", "praha": "prague",
    "warszawa": "warsaw", "lisboa": "lisbon", "bruxelles": "brussels", "sevilla": "seville", "moskva": "moscow",
    "kyiv": "kiev", "bangalore": "bengaluru", "bombay": "mumbai", "madras": "chennai", "calcutta": "kolkata",
    "pusan": "busan", "inchon": "incheon", "taegu": "daegu", "kwangju": "gwangju", "taejon": "daejeon",
    "peking": "beijing", "hannover": "hanover", "kobenhavn": "copenhagen", "goteborg": "gothenburg",
}  # fmt: skip
"""Towns by the name that English has for them, and by their new one."""
NATIONS = {
    *COUNTRIES.values(), "canada", "france", "china", "ireland", "nigeria", "philippines", "uzbekistan", "mexico",
    "poland", "austria", "switzerland", "singapore", "thailand", "mongolia", "russia", "portugal", "belgium",
}  # fmt: skip
"""Countries by the name that they have here."""
