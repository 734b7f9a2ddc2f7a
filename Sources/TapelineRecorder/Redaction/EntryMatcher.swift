/// The matcher for an entry's secrets; it is reused as long as consecutive entries have the same secrets.
struct EntryMatcher {
  private var matcher: EchoMatcher?
  private var hashes: [UInt64] = []
  private(set) var secrets: [Echoes.Secret] = []
  private var isOfThisEntry = false

  /// Whether this entry has any secret to search for.
  var isNeeded: Bool { isOfThisEntry }

  /// Begins another entry.
  mutating func forget() {
    isOfThisEntry = false
  }

  mutating func prepare(for echoes: Echoes) {
    isOfThisEntry = !echoes.isEmpty
    guard isOfThisEntry, !hashes.elementsEqual(echoes.secrets.lazy.map(\.hash)) else { return }
    secrets = echoes.secrets
    hashes = secrets.map(\.hash)
    var matcher = EchoMatcher(capacity: secrets.count * 4, multiplier: .random(in: 0...UInt64.max))
    for (index, secret) in secrets.enumerated() {
      for spelling in EchoSpellings.all(of: secret.bytes) { matcher.insert(spelling.span, echo: index) }
    }
    self.matcher = matcher
  }

  func next(in text: Span<UInt8>, from start: Int) -> EchoMatcher.Match? {
    matcher?.next(in: text, from: start)
  }
}
