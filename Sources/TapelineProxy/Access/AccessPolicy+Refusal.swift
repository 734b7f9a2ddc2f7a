internal import TapelineCore
internal import TapelineTransport

extension AccessPolicy {
  /// Why a client may not go where it wants to.
  enum Refusal: Hashable {
    /// Because of `allowedHosts` and `deniedHosts`.
    case denied
    /// Because the client is on another machine.
    case protected(ProtectedDestination)

    var kind: ExchangeRecord.Failure.Kind {
      switch self {
      case .denied: .hostDenied
      case .protected: .transport(.destinationProhibited)
      }
    }

    var proxyErrorType: ProxyErrorType {
      switch self {
      case .denied: .requestDenied
      case .protected: .destinationProhibited
      }
    }

    func message(toward route: Route) -> String {
      switch self {
      case .denied:
        "this proxy was told not to reach \(route.host) (--allow-host, --deny-host)"
      case .protected(let destination):
        "this proxy does not connect clients on other machines to \(route.host), \(destination.rawValue), unless --allow-host names it"
      }
    }
  }
}
