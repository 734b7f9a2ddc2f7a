import TapelineHTTP

/// Reading and forwarding heads, as in each exchange.
enum HTTPBenchmarks {
  static func all() throws -> [Benchmark] {
    let requestHead = try SampleMessages.requestHead()
    let responseHead = try SampleMessages.responseHead()
    return [
      Benchmark(name: "http.request.parse") { repetitions in
        var fields = 0
        for _ in 0..<repetitions { fields += try SampleMessages.requestHead().fields.count }
        return fields
      },
      Benchmark(name: "http.request.forward") { repetitions in
        var output: [UInt8] = []
        var bytes = 0
        var forwarding = RequestForwarding(framing: .none)
        for _ in 0..<repetitions {
          output.removeAll(keepingCapacity: true)
          forwarding.append(requestHead, into: &output)
          bytes += output.count
        }
        return bytes
      },
      Benchmark(name: "http.response.parse") { repetitions in
        var fields = 0
        for _ in 0..<repetitions { fields += try SampleMessages.responseHead().fields.count }
        return fields
      },
      Benchmark(name: "http.response.forward") { repetitions in
        var output: [UInt8] = []
        var bytes = 0
        var forwarding = ResponseForwarding(to: .get, of: .http11, framing: .length(1024), persists: true)
        for _ in 0..<repetitions {
          output.removeAll(keepingCapacity: true)
          forwarding.append(responseHead, into: &output)
          bytes += output.count
        }
        return bytes
      },
    ]
  }
}
