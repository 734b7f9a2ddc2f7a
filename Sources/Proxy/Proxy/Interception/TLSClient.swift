internal import TapelineTLS

/// A client whose trust in us is judged: a program of this machine where it can be told, otherwise an address and a hello's
/// fingerprint.
struct TLSClient: Sendable, Hashable {
  /// The facts known of every client.
  struct Source: Hashable, Sendable {
    /// Numeric.
    let address: String
    let fingerprint: HelloFingerprint
  }

  /// The client's program, as far as it is known.
  enum Program: Hashable, Sendable {
    case known(ClientProgram)
    /// It runs on another machine, or is another user's.
    case hidden
    /// Nobody looked, since all clients with this hello have accepted us for the host so far.
    case notLookedFor
  }

  /// The key under which a judgement of the client is kept.
  enum Key: Hashable, Sendable {
    case program(ClientProgram)
    case source(Source)
  }

  let source: Source
  let program: Program

  /// `nil` when nobody looked up the client's program.
  var key: Key? {
    switch program {
    case .known(let program): .program(program)
    case .hidden: .source(source)
    case .notLookedFor: nil
    }
  }

  var isBrowser: Bool {
    guard case .known(let program) = program else { return false }
    return program.isBrowser
  }

  /// For people.
  var name: String {
    key.map(Self.name(of:)) ?? "a client at \(source.address)"
  }

  static func name(of key: Key) -> String {
    switch key {
    case .program(let program): program.name
    case .source(let source): "a client at \(source.address)"
    }
  }
}
