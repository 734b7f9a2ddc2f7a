import Testing

extension EndToEnd {
  /// The requests that `scripts/lab/run compare` sends to other proxies, and that no test of one rule sends.
  @Suite struct ComparedRequests {
    @Test("What tapeline refuses of the comparison it refuses for the reason that stands beside it")
    func areRefusedForTheirReason() throws {
      for file in ["request-targets", "request-methods", "connections"] { try expectRefused(vectors: file) }
    }
  }
}
