internal import TapelineTransport

/// A request that is complete, adapted and prepared: makes the task of an attempt.
struct Requestable {
  let urlRequest: URLRequest

  /// In the root context.
  func task(of request: Request, followUps: FollowUps) throws -> SessionTask {
    let configuration = request.engine.configuration
    let complete = followUps.prepare(configuration.completing(urlRequest))
    let task = try request.engine.makeTask(.exchange(request.outgoing(for: complete)))
    task.timeouts = TaskTimeouts(
      requestSeconds: urlRequest.timeoutInterval, resourceSeconds: configuration.timeoutIntervalForResource)
    return task
  }
}
