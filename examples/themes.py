"""What a folder of documents is about: communities, reports, questions, and a drawing of the graph. No model is needed.

python examples/themes.py [FOLDER] [DRAWING.svg]
"""

import math
import sys
from html import escape
from pathlib import Path

from lorelite import GraphView, Wiki, chunk_entity_generation, entity_community_generation

COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#ff9da7", "#9c755f", "#499894"]
GREY = "#888888"
SIZE = 1000


def main(folder: Path, drawing: Path | None) -> None:
    with Wiki.open(":memory:") as wiki:
        for path in sorted(folder.iterdir()):
            wiki.ingest_document("themes", source_ref=path.name, text=path.read_text("utf-8"))

        # What was ingested is a graph already; the pipeline finds its communities and writes a report on each.
        graph = wiki.graph("themes", pipeline=[chunk_entity_generation(), entity_community_generation()])
        graph.build()
        print(graph.stats())

        print("\nThe most important communities:")
        reports = [report for report in graph.reports() if report.level == 0]
        for report in sorted(reports, key=lambda report: (-report.rating, report.title))[:5]:
            print(f"  {report.rating:4}  {report.title}")

        # Global: from the reports. Local: from the entities in the question and what lies around them.
        for search, question in [
            ("global", "What are the main themes?"),
            ("local", "What is Juniper?"),
            ("pagerank", "Who is the skipper of the boat that lifts the buoy Lantern?"),
        ]:
            found = graph.query(question, search=search)
            print(f"\n{question} ({found.strategy})\n{found.text}")
            for sentence in found.sentences[:2]:
                for citation in sentence.citations[:1]:
                    print(f"  {citation.source_ref}, characters {citation.start} to {citation.end}")

        if drawing is not None:
            drawing.write_text(drawn(graph.view(level=0, max_nodes=60)), "utf-8")
            print(f"\n{drawing} shows the 60 entities that are related to most others.")


def drawn(view: GraphView) -> str:
    """The view as SVG: each community a circle of its entities, all of them around a larger one."""
    groups = {each.id: [node for node in view.nodes if node.community == each.id] for each in view.communities}
    total = sum(len(members) + 2 for members in groups.values())
    places: dict[str, tuple[float, float]] = {}
    turned = 0.0
    for members in groups.values():
        share = (len(members) + 2) / total
        angle = 2 * math.pi * (turned + share / 2)
        turned += share
        middle = SIZE / 2 + 350 * math.cos(angle), SIZE / 2 + 350 * math.sin(angle)
        radius = min(300 * math.pi * share, 130) if len(members) > 1 else 0
        for number, node in enumerate(members):
            turn = angle + 2 * math.pi * number / len(members)
            places[node.id] = middle[0] + radius * math.cos(turn), middle[1] + radius * math.sin(turn)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" font-family="sans-serif">']
    for edge in view.edges:
        if edge.source_id in places and edge.target_id in places:
            (x1, y1), (x2, y2) = places[edge.source_id], places[edge.target_id]
            line = f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"'
            parts.append(f'{line} stroke="{GREY}" stroke-width="{min(0.5 + edge.weight, 4):.1f}" opacity="0.5"/>')
    for node in view.nodes:
        if node.id in places and node.colour is not None:
            x, y = places[node.id]
            fill, radius = COLOURS[node.colour % len(COLOURS)], 4 + 2 * math.sqrt(node.degree)
            parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.1f}" fill="{fill}"/>')
            parts.append(f'<text x="{x + radius + 2:.0f}" y="{y + 4:.0f}" font-size="12">{escape(node.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    given = sys.argv[1:]
    here = Path(__file__).parent / "field_station"
    main(Path(given[0]) if given else here, Path(given[1]) if len(given) > 1 else None)
