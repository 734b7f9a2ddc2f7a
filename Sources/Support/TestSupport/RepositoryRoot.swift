/// The checkout that the tests belong to.
package let repositoryRoot =
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
