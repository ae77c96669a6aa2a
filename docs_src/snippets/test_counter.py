def test_short_words_are_left_out(greenrun_app):
    app = greenrun_app("counter")
    app.change("Your text", "the quick brown fox")
    app.change("Leave out", "short words")
    app.click("Count")
    assert app.widget("result").text == "2 words, the longest is QUICK"


def test_count_waits_for_a_text(greenrun_app):
    app = greenrun_app("counter")
    assert app.widget("run").disabled


async def test_the_same_inside_an_event_loop(greenrun_app):
    async with await greenrun_app.open("counter") as app:
        await app.change("text", "one two")
        await app.click("run")
        assert app.variable("longest") == "one"
