internal import TapelineCore
internal import TapelineTLS

extension TLSDetails {
  /// The details that a client's hello shows.
  init(_ hello: ClientHello) {
    self.init()
    facts.serverName = hello.serverName
    facts.offeredVersions = hello.versions.map(\.name)
    facts.offeredProtocols = hello.applicationProtocols.map(\.name)
  }

  /// The details that an observer of both directions has seen; `nil` when the connection was not TLS.
  init?(_ observer: TLSRecordObserver) {
    guard let hello = observer.clientHello else { return nil }
    self.init(hello)
    facts.version = observer.serverHello?.version?.name
    facts.applicationProtocol = observer.serverHello?.applicationProtocol?.name
    facts.alert = observer.alert.map { seen in
      Alert(name: seen.alert.name, origin: seen.direction == .toServer ? "client" : "upstream")
    }
  }
}
