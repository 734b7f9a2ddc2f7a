internal import ArgumentParser
internal import TapelineProxy

extension DestinationPattern: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}
