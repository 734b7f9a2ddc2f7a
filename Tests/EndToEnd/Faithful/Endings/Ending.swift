import TapelineTestSupport
import Testing

/// What the log says of how an exchange ended.
enum Ending: Equatable, CustomStringConvertible {
  /// It came to its own end: none of the members is there.
  case whole
  /// The response is whole, and the request is not.
  case requestEnded(by: String)
  /// Somebody ended what had no end of its own.
  case ended(by: String, phase: String)
  case failed(origin: String, kind: String, phase: String)

  init(_ entry: RecordedEntry) throws {
    let ended = entry.tree["_ended"]
    try #require(ended == nil || entry.error == nil, "an end is normal or a failure: \(entry.tree)")
    if let error = entry.error {
      self = .failed(
        origin: error["origin"]?.string ?? "-", kind: error["kind"]?.string ?? "-", phase: error["phase"]?.string ?? "-")
    } else if let ended {
      self = .ended(by: ended["by"]?.string ?? "-", phase: ended["phase"]?.string ?? "-")
    } else if let by = entry.request?["_endedBy"]?.string {
      self = .requestEnded(by: by)
    } else {
      self = .whole
    }
  }

  var description: String {
    switch self {
    case .whole: "whole"
    case .requestEnded(let by): "request ended by \(by)"
    case .ended(let by, let phase): "ended by \(by) in \(phase)"
    case .failed(let origin, let kind, let phase): "failed: \(origin), \(kind), \(phase)"
    }
  }
}

extension Ending {
  /// Plays `script` for one exchange of a raw client, and looks at its entry.
  ///
  /// - Parameter act: what the client does once its request is at the origin.
  static func of(
    _ script: [OriginStep], request lines: [String] = [], method: String = "GET", body: String = "",
    sourceLocation: SourceLocation = #_sourceLocation, act: (RawClient, ScriptedOrigin) throws -> Void
  ) throws -> Ending {
    let origin = try ScriptedOrigin(script)
    let recording = try recording(sourceLocation: sourceLocation) { proxy in
      let client = try proxy.request(origin.absoluteRequest("/x", method: method, lines: lines) + body)
      try act(client, origin)
      _ = try origin.waitForFinished(1)
    }
    try HARValidators.expectAccepted(recording.log.path, sourceLocation: sourceLocation)
    return try Ending(recording.entry("/x", sourceLocation: sourceLocation))
  }

  /// The same for what a tunnel carries.
  static func ofTunnel(
    _ script: [OriginStep], sourceLocation: SourceLocation = #_sourceLocation, act: (RawClient) throws -> Void
  ) throws -> Ending {
    let origin = try ScriptedOrigin(script)
    let recording = try recording(sourceLocation: sourceLocation) { proxy in
      let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
      #expect(try client.receiveResponse(to: "CONNECT").status == 200, sourceLocation: sourceLocation)
      try act(client)
      _ = try origin.waitForFinished(1)
    }
    return try Ending(try #require(recording.entries.first, sourceLocation: sourceLocation))
  }
}
