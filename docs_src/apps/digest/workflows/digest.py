"""Read a file line by line, and show what is found while it is found."""

from collections.abc import Iterator

from greenrun import Chunk, File, Progress, workflow


@workflow(title="Read a file", effects="none", retry_safe=True)
def digest(file: File, needle: str = "error") -> Iterator[Progress | Chunk | dict[str, object]]:
    """Collect the lines that hold `needle`."""
    lines = file.read_bytes().decode("utf-8").splitlines()
    hits: list[dict[str, object]] = []
    for number, line in enumerate(lines, start=1):
        yield Progress(number / len(lines), f"Line {number} of {len(lines)}")
        if needle in line:
            hits.append({"line": number, "text": line})
            yield Chunk(f"{number}: {line}\n", output="log")
    yield {"hits": hits}
