internal import TapelineHAR

/// A reading of a recording's traffic: the totals since its start, and the exchanges in flight. Two readings make an interval.
package struct RecordingTraffic: Hashable, Sendable {
  /// When it was read, on the recording's monotonic clock.
  var nanoseconds: Int64
  var inFlight: Int
  var openTunnels: Int
  var clients: Int
  /// All hosts together; its name is empty.
  var all: Host
  /// The hosts with the most exchanges, by name; those beyond a bound are left out.
  var hosts: [Host]
  /// The latest failures, oldest first.
  var failures: [Failure]

  struct Host: Hashable, Sendable {
    /// With its port, unless that is the default port.
    var name: String
    var exchanges: Int = 0
    var failed: Int = 0
    /// Responses with a status of 400 or more.
    var errorResponses: Int = 0
    /// Bytes of bodies and tunnels.
    var bytesToServer: Int = 0
    var bytesToClient: Int = 0
    /// How many exchanges took how many microseconds, to two significant digits, ascending.
    var latency: [LatencyCount] = []
  }

  struct LatencyCount: Hashable, Sendable {
    var microseconds: Int
    var count: Int
  }

  struct Failure: Hashable, Sendable {
    /// Microseconds since 1970; absent if unknown.
    var startedAt: Int?
    var method: String?
    var host: String?
    var kind: String
    var phase: String
  }
}

extension RecordingTraffic {
  var members: HARObject {
    [
      "nanoseconds": number(Int(nanoseconds)), "inFlight": number(inFlight), "openTunnels": number(openTunnels),
      "clients": number(clients), "all": all.value, "hosts": .array(hosts.map(\.value)),
      "failures": .array(failures.map(\.value)),
    ]
  }

  init(members: HARObject) throws(ControlMessageError) {
    let traffic = MemberReader(value: .object(members), path: "")
    self.init(
      nanoseconds: Int64(try traffic.integer("nanoseconds")), inFlight: try traffic.integer("inFlight"),
      openTunnels: try traffic.integer("openTunnels"), clients: try traffic.integer("clients"),
      all: try Host(traffic.object("all")),
      hosts: try traffic.objects("hosts").map { reader throws(ControlMessageError) in try Host(reader) },
      failures: try traffic.objects("failures").map { reader throws(ControlMessageError) in try Failure(reader) })
  }
}

extension RecordingTraffic.Host {
  fileprivate var value: HARValue {
    [
      "name": .string(name), "exchanges": number(exchanges), "failed": number(failed), "errorResponses": number(errorResponses),
      "bytesToServer": number(bytesToServer), "bytesToClient": number(bytesToClient),
      // One array for both: it is the bulk of the reply.
      "latency": .array(latency.flatMap { [number($0.microseconds), number($0.count)] }),
    ]
  }

  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      name: try reader.text("name"), exchanges: try reader.integer("exchanges"), failed: try reader.integer("failed"),
      errorResponses: try reader.integer("errorResponses"), bytesToServer: try reader.integer("bytesToServer"),
      bytesToClient: try reader.integer("bytesToClient"))
    let numbers = try reader.integers("latency")
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      latency.append(RecordingTraffic.LatencyCount(microseconds: numbers[index], count: numbers[index + 1]))
    }
  }
}

extension RecordingTraffic.Failure {
  fileprivate var value: HARValue {
    [
      "startedAt": startedAt.map(number) ?? .null, "method": method.map { .string($0) } ?? .null,
      "host": host.map { .string($0) } ?? .null, "kind": .string(kind), "phase": .string(phase),
    ]
  }

  fileprivate init(_ reader: MemberReader) throws(ControlMessageError) {
    self.init(
      startedAt: reader.value["startedAt"]?.integer, method: reader.value["method"]?.string, host: reader.value["host"]?.string,
      kind: try reader.text("kind"), phase: try reader.text("phase"))
  }
}

private func number(_ value: Int) -> HARValue {
  .number(HARNumber(value))
}
