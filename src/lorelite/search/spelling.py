"""Edit distance with an early end."""

from __future__ import annotations


def edit_distance(left: str, right: str, limit: int) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours that turn *left* into *right*.

    Optimal string alignment (Damerau 1964; Boytsov 2011). Gives `limit + 1` once the distance exceeds *limit*.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # What both begin and end with costs nothing: most words differ in no more than the few letters between.
    shorter = min(len(left), len(right))
    start = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    end = next((at for at in range(shorter - start) if left[-1 - at] != right[-1 - at]), shorter - start)
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    if not left or not right:
        return len(left) + len(right)
    before_last: list[int] = []
    last = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before_last[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before_last, last = last, current
    return last[-1]
