package import TapelineBase

extension Phase {
  /// The phase's letter in a strip; `t` is the TLS part of connecting.
  package var letter: Character {
    switch self {
    case .client: "C"
    case .proxy: "P"
    case .blocked: "b"
    case .dns: "d"
    case .connect: "c"
    case .ssl: "t"
    case .send: "s"
    case .wait: "w"
    case .receive: "r"
    }
  }

  /// The phase's colour in strips and bars.
  package var style: TerminalStyle {
    switch self {
    case .client: .brightBlack
    case .proxy: .red
    case .blocked: .dim
    case .dns: .blue
    case .connect: .yellow
    case .ssl: .magenta
    case .send: .cyan
    case .wait: .green
    case .receive: .brightBlue
    }
  }

  /// The phase's name in a sentence or a legend.
  var word: String { self == .ssl ? "TLS" : name }

  /// The state of an exchange that the phase holds up: `the connection's TLS handshake`.
  var meaning: String {
    switch self {
    case .client: "it waited for the client itself: for its TLS hello, or for its request"
    case .proxy: "tapeline itself had it, before the request was on its way"
    case .blocked: "it waited for a connection, or in the client itself"
    case .dns: "the host's name was looked up"
    case .connect: "a connection was opened (TCP)"
    case .ssl: "the connection's TLS handshake"
    case .send: "the request was being sent"
    case .wait: "the server had the request and had not answered yet"
    case .receive: "the response was coming in"
    }
  }

  /// The phase's heading in a report.
  var title: String { self == .dns ? "DNS" : word.prefix(1).uppercased() + word.dropFirst() }

  /// The explanation of the heading.
  var hint: String {
    switch self {
    case .client: "The client itself, before its TLS hello and before its request: not part of the time for sorting"
    case .proxy: "tapeline itself, until the first byte went to the server: not part of the time for sorting"
    case .blocked: "Waiting for a connection to be chosen or begun"
    case .dns: "Resolving the name"
    case .connect: "Making the connection, without TLS"
    case .ssl: "TLS handshake"
    case .send: "Sending the request"
    case .wait: "From the last byte sent to the first received: the server thinks"
    case .receive: "From the first byte received to the last"
    }
  }
}
