import TapelineCore

extension SessionConfiguration {
  /// The default, with limits of time that no test comes to, however busy the machine is.
  static var patient: SessionConfiguration {
    var configuration = SessionConfiguration.default
    configuration.connectTimeout = 3_600
    configuration.responseTimeout = 3_600
    configuration.idleTimeout = 3_600
    return configuration
  }
}
