public import FoundationEssentials
public import TapelineTransport

/// An event of a request under its well-known name, for a program to post to its notification centre.
public struct RequestNotification: Sendable {
  /// The names, of both generations.
  public enum Name: String, Sendable, CaseIterable {
    /// The request was started, or goes on.
    case requestDidResume = "org.alamofire.notification.name.request.didResume"
    /// The request was suspended.
    case requestDidSuspend = "org.alamofire.notification.name.request.didSuspend"
    /// The request was cancelled.
    case requestDidCancel = "org.alamofire.notification.name.request.didCancel"
    /// The request has ended.
    case requestDidFinish = "org.alamofire.notification.name.request.didFinish"
    /// The task of a request was started, or goes on.
    case requestDidResumeTask = "org.alamofire.notification.name.request.didResumeTask"
    /// The task of a request was suspended.
    case requestDidSuspendTask = "org.alamofire.notification.name.request.didSuspendTask"
    /// The task of a request was cancelled.
    case requestDidCancelTask = "org.alamofire.notification.name.request.didCancelTask"
    /// The task of a request has ended.
    case requestDidCompleteTask = "org.alamofire.notification.name.request.didCompleteTask"
    /// A task was started, or goes on: the earlier generation's name.
    case taskDidResume = "org.alamofire.notification.name.task.didResume"
    /// A task was suspended: the earlier generation's name.
    case taskDidSuspend = "org.alamofire.notification.name.task.didSuspend"
    /// A task was cancelled: the earlier generation's name.
    case taskDidCancel = "org.alamofire.notification.name.task.didCancel"
    /// A task has ended: the earlier generation's name.
    case taskDidComplete = "org.alamofire.notification.name.task.didComplete"
  }

  /// The keys of a notification's user information.
  public enum Key {
    /// The key of the request.
    public static let request = "org.alamofire.notification.key.request"
    /// The key of the task.
    public static let task = "org.alamofire.notification.key.task"
    /// The key of the response's body.
    public static let responseData = "org.alamofire.notification.key.responseData"
  }

  /// The event's name.
  public let name: Name
  /// The request that it concerns: the notification's object.
  public let request: Request
  /// The request's task that it concerns; `nil` for an event of the request as a whole.
  public let task: SessionTask?
  /// The body of the response, in `taskDidComplete`.
  public let responseData: Data?
}

/// Posts every event of a request that has a well-known name, under the names of both generations.
///
/// Foundation's notification centre is not part of this library: a program that has one hands the notification over in `post`.
public struct NotificationMonitor: EventMonitor {
  /// Where `post` is called.
  public let context: EventMonitorContext
  private let post: @Sendable (RequestNotification) -> Void

  /// Calls `post` with every notification, by default on the queue that the session's monitors share.
  @preconcurrency
  public init(context: EventMonitorContext = .queue(nil), post: @escaping @Sendable (RequestNotification) -> Void) {
    self.context = context
    self.post = post
  }

  public func requestDidResume(_ request: Request) { post(.requestDidResume, request) }

  public func requestDidSuspend(_ request: Request) { post(.requestDidSuspend, request) }

  public func requestDidCancel(_ request: Request) { post(.requestDidCancel, request) }

  public func requestDidFinish(_ request: Request) { post(.requestDidFinish, request) }

  public func request(_ request: Request, didResumeTask task: SessionTask) {
    post(.requestDidResumeTask, request, task)
    post(.taskDidResume, request, task)
  }

  public func request(_ request: Request, didSuspendTask task: SessionTask) {
    post(.requestDidSuspendTask, request, task)
    post(.taskDidSuspend, request, task)
  }

  public func request(_ request: Request, didCancelTask task: SessionTask) {
    post(.requestDidCancelTask, request, task)
    post(.taskDidCancel, request, task)
  }

  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    post(.requestDidCompleteTask, request, task)
    post(.taskDidComplete, request, task, (request as? DataRequest)?.data)
  }

  private func post(
    _ name: RequestNotification.Name, _ request: Request, _ task: SessionTask? = nil, _ data: Data? = nil
  ) {
    post(RequestNotification(name: name, request: request, task: task, responseData: data))
  }
}
