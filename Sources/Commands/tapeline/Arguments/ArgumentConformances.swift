public import ArgumentParser
internal import TapelineCapture
internal import TapelineClients
internal import TapelineControl
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineReplay
internal import TapelineText
public import TapelineTime

// Values of the targets that the command line names.

extension DestinationPattern: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}

extension HostPattern: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}

extension ClientCertificate: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}

extension Endpoint: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}

extension ReplayTiming: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }

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
