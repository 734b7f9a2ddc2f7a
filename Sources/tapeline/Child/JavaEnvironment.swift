internal import TapelineLoop

/// How a Java program is sent through a proxy: it reads no proxy variable, but takes options from one.
enum JavaEnvironment {
  static let variable = "JAVA_TOOL_OPTIONS"

  /// The variable's value, after what it says already.
  ///
  /// What it says of the same properties goes: it would not count, and a shell that asks again and again would gather it.
  static func options(endpoint: EndpointArgument, trustStore: JavaTrustStore?, inherited: String?) -> String {
    let address = endpoint.reachable.address
    var properties: [(name: String, value: String)] = []
    for scheme in ["http", "https"] {
      properties.append((name: "\(scheme).proxyHost", value: address.host))
      properties.append((name: "\(scheme).proxyPort", value: "\(address.port)"))
    }
    // Empty: no exceptions. Absent, or with one exception in it, this machine would be another.
    properties.append((name: "http.nonProxyHosts", value: ""))
    if let trustStore {
      properties.append((name: "javax.net.ssl.trustStore", value: trustStore.path))
      properties.append((name: "javax.net.ssl.trustStorePassword", value: JavaTrustStore.password))
    }
    let inherited = words(inherited ?? "").filter { word in !properties.contains { word.contains("-D\($0.name)=") } }
    return (inherited + properties.map { quoted("-D\($0.name)=\($0.value)") }).joined(separator: " ")
  }

  /// The launcher splits the value at white space outside of quotes, of either kind.
  private static func words(_ options: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in options {
      if quote == nil, character.isWhitespace {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      word.append(character)
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  private static func quoted(_ option: String) -> String {
    option.contains(where: \.isWhitespace) ? "\"\(option)\"" : option
  }
}
