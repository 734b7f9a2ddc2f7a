import TapelineHTTP

/// Heads, as each exchange reads and forwards them.
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
        var octets = 0
        for _ in 0..<repetitions {
          output.removeAll(keepingCapacity: true)
          ForwardedRequest.append(head: requestHead, framing: .none, into: &output)
          octets += output.count
        }
        return octets
      },
      Benchmark(name: "http.response.parse") { repetitions in
        var fields = 0
        for _ in 0..<repetitions { fields += try SampleMessages.responseHead().fields.count }
        return fields
      },
      Benchmark(name: "http.response.forward") { repetitions in
        var output: [UInt8] = []
        var octets = 0
        for _ in 0..<repetitions {
          output.removeAll(keepingCapacity: true)
          ForwardedResponse.append(
            head: responseHead, to: .http11, requestMethod: .get, framing: .length(1024), persists: true,
            date: "Sat, 21 Nov 2026 09:41:07 GMT", into: &output)
          octets += output.count
        }
        return octets
      },
    ]
  }
}
