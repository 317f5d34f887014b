import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Apache Curator's InterProcessMutex behind JSON lines: CuratorLock host:port session-timeout-ms. */
public class CuratorLock {
  /** Requests are flat objects of texts without quotes and whole numbers, so no JSON library is needed. */
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\"\\s*:\\s*(?:\"([^\"]*)\"|(-?\\d+))");
  /** A mutex belongs to the thread that acquired it, so each key has a thread of its own. */
  private static final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private static final Map<String, InterProcessMutex> held = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            args[0], Integer.parseInt(args[1]), 15_000, new ExponentialBackoffRetry(100, 3));
    client.start();
    client.blockUntilConnected();
    say("{\"ready\":1}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, String> request = parse(line);
      String key = request.get("key");
      threads
          .computeIfAbsent(key, (k) -> Executors.newSingleThreadExecutor())
          .submit(() -> answer(client, request));
    }
    System.exit(0);
  }

  private static void answer(CuratorFramework client, Map<String, String> request) {
    boolean ok;
    try {
      ok = request.get("do").equals("acquire") ? acquire(client, request) : release(request);
    } catch (Exception failure) {
      System.err.println(failure);
      ok = false;
    }
    say("{\"id\":" + request.get("id") + ",\"ok\":" + ok + "}");
  }

  private static boolean acquire(CuratorFramework client, Map<String, String> request) throws Exception {
    InterProcessMutex mutex = new InterProcessMutex(client, request.get("key"));
    if (!mutex.acquire(Long.parseLong(request.get("waitMs")), TimeUnit.MILLISECONDS)) return false;
    held.put(request.get("key"), mutex);
    return true;
  }

  private static boolean release(Map<String, String> request) throws Exception {
    InterProcessMutex mutex = held.remove(request.get("key"));
    if (mutex == null) return false;
    mutex.release();
    return true;
  }

  private static Map<String, String> parse(String line) {
    Map<String, String> fields = new ConcurrentHashMap<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find())
      fields.put(matcher.group(1), matcher.group(2) != null ? matcher.group(2) : matcher.group(3));
    return fields;
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
