"""A memory across conversations: what was said is written down, found again, corrected, and seen by an agent.

Needs no model and no network:  python examples/agent_memory.py [FILE]
"""

from __future__ import annotations

import sys

from lorelite import Wiki, format_context
from lorelite.tools import dispatch_tool, to_openai, tool_definitions, tool_text

HOME = "home"
RIGHTS = {"scopes": ["read", "write"], "namespaces": [HOME]}


def first_conversation(wiki: Wiki) -> None:
    """The user tells something; facts, a task and an event stay."""
    wiki.write(HOME, title="Anna", body="Anna works at the harbour office.", tags=["work"])
    wiki.write(HOME, title="Rufus", body="Rufus is Anna's dog. He is afraid of foghorns.")
    wiki.add_task(HOME, description="Ask Anna how her first week was", priority=6)
    wiki.write(HOME, event={"event_type": "observation", "summary": "Anna said that she may move to the lighthouse."})


def second_conversation(wiki: Wiki) -> None:
    """Something changed: the new fact takes the place of the old one, which stays as what was true before."""
    [old] = wiki.read(HOME, "Where does Anna work?", max_results=1).facts
    report = wiki.supersede(HOME, node_id=old.id, by={"title": "Anna", "body": "Anna works at the lighthouse."})
    print("What is known of Anna's work, and what was:")
    for held in wiki.history(HOME, node_id=report.new_id):
        print(f"  {held.body} ({'no longer' if held.held_to else 'now'})")


def what_a_model_is_shown(wiki: Wiki) -> None:
    """Before each answer: what the memory holds about the question, as text for a prompt."""
    print("\nFor the prompt:\n")
    print(format_context(wiki.read(HOME, "Tell me about Anna", max_results=3)))


def what_an_agent_calls(wiki: Wiki) -> None:
    """An agent is given `tools`; this is a call as a model would make it, and what it gets to read."""
    tools = to_openai(tool_definitions(**RIGHTS))
    print(f"\nAn agent has {len(tools)} tools. It calls read and is told:\n")
    print(tool_text(dispatch_tool(wiki, "read", '{"query": "foghorns", "kinds": ["fact"]}', **RIGHTS)))


if __name__ == "__main__":
    with Wiki.open(sys.argv[1] if len(sys.argv) > 1 else ":memory:") as wiki:
        first_conversation(wiki)
        second_conversation(wiki)
        what_a_model_is_shown(wiki)
        what_an_agent_calls(wiki)
