internal import ArgumentParser
internal import TapelineText

extension HostPattern: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}
