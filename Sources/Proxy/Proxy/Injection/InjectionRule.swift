internal import TapelineBase
package import TapelineHTTP
package import TapelineTime

/// Something that a user wants to be done to some exchanges on purpose. `docs/conditions.md` has the language.
package struct InjectionRule: Sendable {
  /// The condition, as it was written.
  package let query: String
  /// The action, as the log has it: without a value that is secret.
  package let text: String
  package let action: InjectionAction
  package var share = InjectionShare.all

  package init(query: String, text: String, action: InjectionAction, share: InjectionShare = .all) {
    self.query = query
    self.text = text
    self.action = action
    self.share = share
  }

  /// As it was written.
  package var line: String { "\(query): \(text)" }
}

/// A thing that is done to an exchange.
package enum InjectionAction: Sendable, Hashable {
  /// The request goes on later, by up to `spread` more or less.
  case delay(Duration, spread: Duration)
  /// The client gets an answer of ours, and the server no request.
  case answer(InjectedAnswer)
  /// The client's connection ends, or its stream, and the server gets no request.
  case reset
  case close
  /// The client gets no answer, and the server no request.
  case timeout
  /// The response ends after so many bytes of its content.
  case truncate(after: UInt64)
  /// The response stops for a while after so many bytes of its content.
  case stall(Duration, after: UInt64)
  /// The content of the response comes at this rate, in bytes per second.
  case rate(Double)
  case edit(InjectedSide, InjectedEdit)
  case content(InjectedContentEdit)
  /// Connections to one place lead to another.
  case map(InjectedPlacement)
  /// The request goes to another URL.
  case rewrite(InjectedRewrite)
}

/// An answer that stands for a server's.
package struct InjectedAnswer: Sendable, Hashable {
  package let status: Int
  package var retryAfter: Int?
  /// For a gRPC call, which the HTTP status of 200 does not fail. Other requests do not get it.
  package var grpc: GRPCStatus?
  /// The content, and its media type; `nil`: a sentence. An answer with content of the user's is no failure.
  package var content: [UInt8]?
  package var mediaType = "application/octet-stream"

  package init(status: Int) {
    self.status = status
  }
}

/// The message that an edit is for.
package enum InjectedSide: String, Sendable, Hashable, CaseIterable {
  case request
  case response
}

/// A field of a head that gets a value, or is taken out.
package struct InjectedEdit: Sendable, Hashable {
  package let name: String
  /// `nil` takes out all lines of that name.
  package let value: String?
  /// Whether the value is not for the log.
  package let isSecret: Bool

  package init(name: String, value: String?, isSecret: Bool = false) {
    self.name = name
    self.value = value
    self.isSecret = isSecret
  }
}

/// A change to the content of a response that is JSON.
package struct InjectedContentEdit: Sendable, Hashable {
  /// As it was written.
  let text: String
  /// Gives the edited content; `nil` if it cannot be edited.
  let edit: @Sendable ([UInt8]) -> [UInt8]?

  package init(text: String, edit: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    self.text = text
    self.edit = edit
  }

  package static func == (left: InjectedContentEdit, right: InjectedContentEdit) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}

/// Another place for the connections to a host and port. TLS still asks for the host.
package struct InjectedPlacement: Sendable, Hashable {
  /// In lower case, without brackets.
  package let host: String
  package let port: UInt16
  package let target: String
  package let targetPort: UInt16

  package init(host: String, port: UInt16, target: String, targetPort: UInt16) {
    self.host = host.lowercased()
    self.port = port
    self.target = target
    self.targetPort = targetPort
  }
}

/// Another beginning for URLs.
package struct InjectedRewrite: Sendable, Hashable {
  package let prefix: String
  /// An absolute URL of http or https.
  package let replacement: String

  package init(prefix: String, replacement: String) {
    self.prefix = prefix
    self.replacement = replacement
  }

  /// `nil` for a URL that begins otherwise.
  func url(for url: String) -> String? {
    url.hasPrefix(prefix) ? replacement + url.dropFirst(prefix.count) : nil
  }
}

/// The share of the matching exchanges that a rule changes, counted in their order.
package enum InjectionShare: Sendable, Hashable {
  case all
  case first(UInt64)
  case every(UInt64)
  /// A part of 1, by draws that the seed decides.
  case fraction(Double)

  /// - Parameters:
  ///   - place: of the exchange among those that match, from 1.
  ///   - draw: from 0 up to 1.
  func includes(_ place: UInt64, draw: Double) -> Bool {
    switch self {
    case .all: true
    case .first(let count): place <= count
    case .every(let period): place.isMultiple(of: period)
    case .fraction(let fraction): draw < fraction
    }
  }
}

/// Draws that depend on nothing but what they are for: the same seed, rule and exchange give the same.
package struct InjectionDraw: Sendable {
  private var generator: SeededGenerator

  package init(seed: UInt64, stream: UInt64, place: UInt64 = 0) {
    generator = SeededGenerator(
      seed: seed &+ stream &* 0xA24B_AED4_963E_E407 &+ place &* 0x9FB2_1C65_1E98_DF25, skipping: 1)
  }

  /// From 0 up to 1.
  package mutating func next() -> Double {
    Double(generator.next() >> 11) * 0x1p-53
  }
}

/// The facts of a request that are known when its head is here.
package struct InjectionSubject: Sendable {
  package let method: String
  /// Absolute.
  package let url: String
  package var version = HTTPVersion.http11
  package var fields = HeaderFields()
  package var headSize = 0
  package var started = MonotonicInstant.now
  /// Where its connection leads.
  var host = ""
  var port: UInt16 = 0
}
