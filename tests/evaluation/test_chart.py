import itertools
import re
import xml.etree.ElementTree as ET

from evaluation_samples import evaluation, outcome

from lorelite.evaluation.chart import LABEL_SPACING, PLOT_HEIGHT, TOP, WIDTH, Series, chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*runs):
    return ET.fromstring(runs[0].to_svg(*runs[1:]))


def test_each_run_has_a_curve_in_each_panel_and_a_point_for_each_k():
    first = evaluation([outcome("a", 1), outcome("b", 2)], at=(1, 2))
    root = drawn(first, evaluation([outcome("a", 2), outcome("b", None)], at=(1, 2), strategy="keyword"))
    assert len(root.findall(f"{SVG}polyline")) == 4
    assert len(root.findall(f"{SVG}circle")) == 8


def test_points_stand_at_the_height_of_their_share():
    root = drawn(evaluation([outcome("a", 1), outcome("b", 2)], at=(1, 2)))
    heights = [float(point.split(",")[1]) for point in root.find(f"{SVG}polyline").get("points").split()]
    assert heights == [TOP + PLOT_HEIGHT / 2, TOP]


def test_names_of_runs_are_told_apart_and_do_not_overlap():
    runs = [evaluation([outcome("a", 1)]) for _ in range(9)]
    labels = [(t.text, float(t.get("x")), float(t.get("y"))) for t in drawn(*runs).findall(f"{SVG}text")]
    ends = sorted((x, y, text) for text, x, y in labels if re.fullmatch(r"100\.0 read \d", text))
    assert len({text for _, _, text in ends}) == 9
    for (x, y, _), (other_x, other_y, _) in itertools.pairwise(ends):
        assert x != other_x or other_y - y >= LABEL_SPACING - 0.01
    assert min(y for _, y, _ in ends) >= TOP
    assert max(x for x, _, _ in ends) < WIDTH - 100


def test_no_text_can_break_out_of_the_drawing():
    run = evaluation([outcome("a", 1)], strategy='<script>"&')
    assert "<script>" not in run.to_svg()
    assert any(text.text == '100.0 <script>"&' for text in drawn(run).findall(f"{SVG}text"))


def test_there_are_colours_for_light_and_for_dark_pages():
    style = drawn(evaluation([outcome("a", 1)])).find(f"{SVG}style").text
    assert "prefers-color-scheme:dark" in style and ".paper{fill:#ffffff}" in style


def test_the_drawing_is_told_to_those_who_do_not_see_it():
    root = drawn(evaluation([outcome("a", 1), outcome("b", 5)], at=(1, 5)))
    assert root.find(f"{SVG}title").text == "sample: 2 questions"
    assert root.find(f"{SVG}desc").text == "Evidence found. read: 50% at 1, 100% at 5"


def test_a_name_that_xml_cannot_hold_is_drawn_all_the_same():
    drawing = ET.fromstring(chart("a\x00b & \ud800", [Series("<run>\x1f", {1: 0.5}, {1: 0.5})]))
    assert drawing[0].text == "a\ufffdb & \ufffd"
