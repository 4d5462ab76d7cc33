"""The placement book: what is sent again after a cut, and what is given up."""

import asyncio
from random import Random

import pytest
from tesserae_client.book import MAX_UNANSWERED, REMEMBERED, REMEMBERED_S, Book
from tesserae_client.errors import TooMuchPending
from tesserae_client.outcomes import Placed, Unknown
from tesserae_client.records import IMPOSSIBLE, record

PLACED = Placed(seq=1, x=0, y=0, color=1, left_ms=0, stack_left=0, request=1)


def enter(book, count=1, now_s=0.0):
    loop = asyncio.get_running_loop()
    answers = [loop.create_future() for _ in range(count)]
    cells = [(n, 0, 1) for n in range(count)]
    return book.open(cells, answers, generation=0, now_s=now_s)


async def settled():
    """Let the callbacks of futures run."""
    await asyncio.sleep(0)


async def test_answers_go_to_whoever_waits():
    book = Book(Random(1))
    sheet = enter(book, 2)
    assert book.asked(sheet.request, 1) == (1, 0, 1)
    book.answer(sheet.request, 1, PLACED)
    book.answer(sheet.request, 1, PLACED)
    book.answer(12345, 0, PLACED)
    await settled()
    assert sheet.answers[1].result() == PLACED
    assert book.unanswered == 1
    assert book.unknown() == [Unknown(0, 0, 1, request=sheet.request, index=0)]
    book.answer(sheet.request, 0, PLACED)
    await settled()
    assert (book.unanswered, book.unknown()) == (0, [])


async def test_the_newest_sixteen_are_sent_again_oldest_first():
    book = Book(Random(1))
    sheets = [enter(book) for _ in range(REMEMBERED + 2)]
    again = book.to_send_again(now_s=1.0)
    assert again == sheets[2:]
    assert all(isinstance(sheet.answers[0].result(), Unknown) for sheet in sheets[:2])


async def test_what_the_server_has_forgotten_is_given_up():
    book = Book(Random(1))
    old, young = enter(book), enter(book, now_s=100.0)
    assert book.to_send_again(now_s=REMEMBERED_S + 50.0) == [young]
    assert isinstance(old.answers[0].result(), Unknown)


async def test_answered_and_abandoned_places_are_taken_by_an_impossible_record():
    book = Book(Random(1))
    sheet = enter(book, 3)
    book.answer(sheet.request, 0, PLACED)
    sheet.answers[1].cancel()
    assert sheet.records() == [IMPOSSIBLE, IMPOSSIBLE, record(2, 0, 1)]
    sheet.answers[2].cancel()
    await settled()
    assert (book.unanswered, book.to_send_again(1.0)) == (0, [])


async def test_the_book_is_bounded():
    book = Book(Random(1))
    for _ in range(MAX_UNANSWERED // 64):
        enter(book, 64)
    with pytest.raises(TooMuchPending, match="await some"):
        book.check([(0, 0, 1)])


async def test_request_numbers_are_never_used_twice_at_once():
    class Stuck(Random):
        def __init__(self):
            self.drawn = iter([5, 5, 5, 6])

        def getrandbits(self, _bits):
            return next(self.drawn)

    book = Book(Stuck())
    assert [enter(book).request, enter(book).request] == [5, 6]
