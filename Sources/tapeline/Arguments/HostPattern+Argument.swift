internal import ArgumentParser
internal import TapelineProxy

extension HostPattern: ExpressibleByArgument {
  init?(argument: String) {
    self.init(argument)
  }
}
