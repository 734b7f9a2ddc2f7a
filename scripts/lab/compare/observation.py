"""One case on one proxy, seen from both ends."""

from __future__ import annotations

from dataclasses import dataclass

from lab.compare.messages import Message, final, requests, responses
from lab.compare.peers import Received


@dataclass(frozen=True)
class Observation:
    # What reached the origin, per connection.
    arrived: list[bytes]
    client: Received
    methods: list[bytes]

    def requests(self) -> list[Message]:
        return [each for data in self.arrived for each in requests(data)]

    def complete_requests(self) -> list[Message]:
        return [each for each in self.requests() if each.complete]

    def responses(self) -> list[Message]:
        return responses(self.client.data, self.methods, ended=self.client.closed and not self.client.reset)

    def final(self) -> list[Message]:
        return final(self.responses())
