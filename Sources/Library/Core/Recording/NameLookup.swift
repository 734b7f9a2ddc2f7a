/// A name that a program in a command's network looked up before it connected to one of the name's addresses.
package struct NameLookup: Sendable, Hashable {
  package let name: String
  /// The name server that answered: its address and port.
  package let server: String
  /// From the program's question, as we received it, to the answer, as we passed it on.
  package let nanoseconds: Int64

  package init(name: String, server: String, nanoseconds: Int64) {
    self.name = name
    self.server = server
    self.nanoseconds = nanoseconds
  }
}
