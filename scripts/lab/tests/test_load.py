import socket
import threading
import unittest

from lab import load, sink

RESULT = 'result {"requests": 300, "microseconds": 2000000, "p50": 10, "p99": 90, "failed": 1, "cut": 2}'


class ResultOfWrk(unittest.TestCase):
    def test_last_line_with_a_result_counts(self):
        sample = load.parse_result(f"Running 2s test\n{RESULT}\nRequests/sec: 1\n")
        self.assertEqual(sample, load.Sample(requests=300, seconds=2.0, p50_us=10, p99_us=90, failed=1, cut=2))
        self.assertEqual(sample.rate, 150)

    def test_no_result_is_a_failure_that_says_why(self):
        with self.assertRaisesRegex(load.LoadFailed, "unable to connect"):
            load.parse_result("", "unable to connect to 127.0.0.1")

    def test_no_answer_is_a_failure(self):
        with self.assertRaises(load.LoadFailed):
            load.parse_result(RESULT.replace("300", "0"))


class SinkCounts(unittest.TestCase):
    def exchange(self, pieces: list[bytes]) -> bytes:
        client, server = socket.socketpair()
        thread = threading.Thread(target=sink.serve, args=(server,))
        thread.start()
        with client:
            for piece in pieces:
                client.sendall(piece)
            client.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        thread.join()
        return answer.partition(b"\r\n\r\n")[2]

    def test_sized_body_that_came_partly_with_the_head(self):
        self.assertEqual(self.exchange([b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n01234", b"56789"]), b"10\n")

    def test_chunked_body_in_any_segmentation(self):
        message = b"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"
        self.assertEqual(self.exchange([message]), b"13\n")
        self.assertEqual(self.exchange([bytes([byte]) for byte in message]), b"13\n")

    def test_two_requests_on_one_connection(self):
        message = b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
        client, server = socket.socketpair()
        thread = threading.Thread(target=sink.serve, args=(server,))
        thread.start()
        with client:
            for _ in range(2):
                client.sendall(message)
                self.assertTrue(client.recv(4096).endswith(b"0\n"))
        thread.join()


class IdleConnections(unittest.TestCase):
    def test_only_connections_that_the_server_kept_are_counted(self):
        response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            accepted = []

            def serve():
                for _ in range(3):
                    connection, _ = listener.accept()
                    connection.recv(4096)
                    connection.sendall(response)
                    accepted.append(connection)

            thread = threading.Thread(target=serve)
            thread.start()
            with load.IdleConnections("http://origin.invalid/", f"127.0.0.1:{listener.getsockname()[1]}", 3) as idle:
                thread.join()
                self.assertEqual(idle.open_count(), 3)
                accepted[1].close()
                self.assertEqual(idle.open_count(), 2)
            for connection in accepted:
                connection.close()
