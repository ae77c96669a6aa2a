import json
from pathlib import Path

from word_nodes import Longest

from greenrun.workflows.engine import run_graph
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry

GRAPH = load_graph(json.loads(Path("graph.json").read_text(encoding="utf-8")))


async def test_longest_word_reaches_the_output():
    registry = default_registry()
    registry.register(Longest)
    messages = []
    result = await run_graph(GRAPH, registry=registry, params={"text": "a bee"}, job_id="1", emit=messages.append)
    assert result.status == "completed"
    assert result.outputs == {"word": ["bee"]}
