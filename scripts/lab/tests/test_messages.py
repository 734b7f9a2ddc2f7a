import unittest

from lab.compare.messages import final, requests, responses


class Requests(unittest.TestCase):
    def test_each_ends_at_its_framing(self):
        data = b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcPOST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        data += b"3;x\r\nabc\r\n0\r\nX: y\r\n\r\nGET /c HTTP/1.1\r\n\r\n"
        found = requests(data)
        self.assertEqual([each.target for each in found], [b"/a", b"/b", b"/c"])
        self.assertEqual(found[1].body, b"3;x\r\nabc\r\n0\r\nX: y\r\n\r\n")
        self.assertTrue(all(each.complete for each in found))

    def test_the_last_may_lack_something(self):
        for rest in (b"GET /", b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab"):
            self.assertEqual([each.complete for each in requests(b"GET /a HTTP/1.1\r\n\r\n" + rest)], [True, False])
        for body in (b"", b"3\r\nab", b"3\r\nabc\r\n", b"3\r\nabc\r\n0\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"x\r\n"):
            chunked = requests(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            self.assertEqual([each.complete for each in chunked], [False], body)


class Responses(unittest.TestCase):
    def test_the_method_and_the_status_decide_about_the_body(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        hints = b"HTTP/1.1 103 Early Hints\r\n\r\n"
        found = responses(head + hints + head + b"ok", [b"HEAD", b"GET"], False)
        self.assertEqual([(each.status, each.body) for each in found], [(200, b""), (103, b""), (200, b"ok")])
        self.assertEqual([each.status for each in final(found)], [200, 200])

    def test_a_body_without_framing_ends_with_the_connection(self):
        data = b"HTTP/1.1 200 OK\r\n\r\nok"
        self.assertFalse(responses(data, [b"GET"], ended=False)[0].complete)
        self.assertTrue(responses(data, [b"GET"], ended=True)[0].complete)

    def test_what_follows_a_switch_belongs_to_the_other_protocol(self):
        found = responses(b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\x02ok", [b"GET"], False)
        self.assertEqual([(each.status, each.body) for each in found], [(101, b"\x81\x02ok")])
