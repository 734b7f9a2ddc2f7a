public import ArgumentParser
internal import TapelineLive
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineOffline
internal import TapelineBase
public import TapelineTime

// Values of the targets that the command line names.

/// A value with one spelling, which is read in one way everywhere.
protocol SpelledValue: ExpressibleByArgument {
  init?(_ text: String)
}

extension SpelledValue {
  init?(argument: String) { self.init(argument) }
}

extension DestinationPattern: SpelledValue {}

extension HostPattern: SpelledValue {}

extension ClientCertificate: SpelledValue {}

extension Endpoint: SpelledValue {}

extension ListenArgument: SpelledValue {}

extension ReverseArgument: SpelledValue {}

extension ExchangeRange: SpelledValue {}

extension ReplayTiming: SpelledValue {
  var defaultValueDescription: String { description }
}

extension CertificateFormat: ExpressibleByArgument {}
extension EnvironmentFormat: ExpressibleByArgument {}
extension Browser: ExpressibleByArgument {}
extension FailurePolicy: ExpressibleByArgument {}
extension ProxyConfiguration.BodyPolicy: ExpressibleByArgument {}
extension ReverseOrigin.ToldHost: ExpressibleByArgument {}
extension ReportOptions.Bodies: ExpressibleByArgument {}

extension MonotonicInstant.Clock: ExpressibleByArgument {
  public init?(argument: String) {
    guard let clock = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = clock
  }

  public static var allValueStrings: [String] { allCases.map { "\($0)" } }

  public var defaultValueDescription: String { "\(self)" }
}

extension WaterfallGrouping: ExpressibleByArgument {}
