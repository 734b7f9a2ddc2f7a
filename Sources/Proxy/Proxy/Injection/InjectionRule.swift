internal import TapelineBase
package import TapelineHTTP
package import TapelineTime
package import TapelineTransport

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
package enum InjectionAction: Sendable {
  /// The request goes on later.
  case delay(InjectedDelay)
  /// The client gets an answer of ours, and the server no request.
  case answer(InjectedAnswer)
  /// The client's connection ends, or its stream, and the server gets no request.
  case reset
  case close
  /// The client gets no answer, and the server no request.
  case timeout
  /// The response ends after so many bytes of its content.
  case truncate(after: UInt64)
  /// The response ends after so many events of its content.
  case cut(after: UInt64)
  /// The response stops for a while after so many bytes of its content.
  case stall(Duration, after: UInt64)
  /// The content of the response comes at this rate, in bytes per second.
  case rate(Double)
  case edit(InjectedSide, InjectedEdit)
  /// The content of the response is another, if it is JSON; `nil`: it cannot be edited.
  case content(@Sendable ([UInt8]) -> [UInt8]?)
  /// Connections to one place lead to another. TLS still asks for the first.
  case map(Route, to: Route)
  /// A request whose URL begins with a text goes to the URL that begins with another: an absolute one of http or https.
  case rewrite(String, to: String)
}

/// How long a request is held back.
package enum InjectedDelay: Sendable {
  /// So long, or up to `spread` more or less.
  case around(Duration, spread: Duration)
  /// By the log-normal distribution with this median, and 99th percentile.
  case lognormal(p50: Duration, p99: Duration)

  /// At most a day.
  func length(_ draw: inout InjectionDraw) -> Duration {
    switch self {
    case .around(let usual, let spread): return max(.zero, usual + spread * (draw.next() * 2 - 1))
    case .lognormal(let p50, let p99):
      let factor = ElementaryFunctions.power(p99 / p50, Self.normal(draw.nextOfHundred()) / Self.normal(0.99))
      return p50 * min(factor, Duration.seconds(86_400) / p50)
    }
  }

  /// The quantile of the normal distribution, to 0.0005 (Abramowitz and Stegun 26.2.23).
  private static func normal(_ probability: Double) -> Double {
    let t = (-2 * ElementaryFunctions.logarithm(min(probability, 1 - probability))).squareRoot()
    let size = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    return probability < 0.5 ? -size : size
  }
}

/// An answer that stands for a server's.
package struct InjectedAnswer: Sendable {
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
package enum InjectedSide: String, Sendable {
  case request
  case response
}

/// A field of a head that gets a value, or is taken out.
package struct InjectedEdit: Sendable {
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

/// The share of the matching exchanges that a rule changes, counted in their order.
package enum InjectionShare: Sendable, Equatable {
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
  private let stream: UInt64
  private let place: UInt64
  private var generator: SeededGenerator

  package init(seed: UInt64, stream: UInt64, place: UInt64 = 0) {
    self.stream = seed &+ stream &* 0xA24B_AED4_963E_E407
    self.place = place
    generator = SeededGenerator(seed: self.stream &+ place &* 0x9FB2_1C65_1E98_DF25, skipping: 1)
  }

  /// Between 0 and 1.
  package mutating func next() -> Double { generator.uniform() }

  /// The same, in each hundred places once in each hundredth: so few draws have the percentiles of many.
  mutating func nextOfHundred() -> Double {
    let (hundred, number) = (place &- 1).quotientAndRemainder(dividingBy: 100)
    var order = SeededGenerator(seed: ~stream &+ hundred)
    return (Double((0..<100).shuffled(using: &order)[Int(number)]) + next()) / 100
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
