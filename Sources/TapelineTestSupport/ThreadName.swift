/// The calling thread's name, as the kernel shows it.
package func currentThreadName() throws(TestSupportError) -> String {
  String(try readText("/proc/thread-self/comm").dropLast())
}
