from __future__ import annotations

from tools.repetition import compared, repeated

CODE = """def {name}(a):
    \"\"\"Says what it does.\"\"\"
    # a comment
    import os

    b = a * {number}
    c = b + a
    for d in b:
        c += d

    print(c)
    return "{text}"
"""


def test_lines_are_counted_to_the_letter_and_in_shape() -> None:
    one = compared(CODE.format(name="one", number=2, text="x"))
    other = compared(CODE.format(name="other", number=3, text="y"))
    assert one[0] == ["def one(a):", "b = a * 2", "c = b + a", "for d in b:", "c += d", "print(c)", 'return "x"']
    assert one[1] == other[1] and one[0] != other[0]
    assert repeated([one[1], other[1]]) == 14 and repeated([one[0], one[0]]) == 14
    assert repeated([one[0], other[0]]) == 0 and repeated([one[1]]) == 0
    assert repeated([one[1][:5], other[1][:5]]) == 0
