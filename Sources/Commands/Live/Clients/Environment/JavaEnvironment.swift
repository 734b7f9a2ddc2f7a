internal import TapelineLoop

/// Sends Java programs through a proxy: they read no proxy variable, but take options from a variable.
enum JavaEnvironment {
  static let variable = "JAVA_TOOL_OPTIONS"

  /// The variable's new value: its present options, then ours.
  ///
  /// Removes present options for the same properties: they have no effect, and would pile up in a shell that asks repeatedly.
  ///
  /// - Parameter endpoint: `nil` if the programs need no proxy.
  static func options(endpoint: Endpoint?, trustStore: JavaTrustStore?, inherited: String?) -> String {
    var properties: [(name: String, value: String)] = []
    if let address = endpoint?.reachable.address {
      for scheme in ["http", "https"] {
        properties.append((name: "\(scheme).proxyHost", value: address.host))
        properties.append((name: "\(scheme).proxyPort", value: "\(address.port)"))
      }
      // Empty means no exceptions. If the property were absent or had an exception, Java would also except this machine.
      properties.append((name: "http.nonProxyHosts", value: ""))
    }
    if let trustStore {
      properties.append((name: "javax.net.ssl.trustStore", value: trustStore.path))
      properties.append((name: "javax.net.ssl.trustStorePassword", value: JavaTrustStore.password))
    }
    let inherited = words(inherited ?? "").filter { word in !properties.contains { word.contains("-D\($0.name)=") } }
    return (inherited + properties.map { quoted("-D\($0.name)=\($0.value)") }).joined(separator: " ")
  }

  /// The launcher splits the value at white space outside quotes of either kind.
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
