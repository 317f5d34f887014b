import java.util.Scanner;
import java.util.concurrent.atomic.LongAdder;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;

/** For each line "callers keys ms": counts acquisitions and releases, and prints their number. */
public class CuratorSpeed {
  public static void main(String[] args) throws Exception {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(args[0], 30_000, 15_000, new RetryNTimes(3, 100));
    curator.start();
    curator.blockUntilConnected();
    System.out.println("ready");
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextInt()) {
      int callers = lines.nextInt(), keys = lines.nextInt();
      long endNs = System.nanoTime() + lines.nextLong() * 1_000_000;
      LongAdder pairs = new LongAdder();
      Thread[] threads = new Thread[callers];
      for (int i = 0; i < callers; i++) {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/locks/key-" + i % keys);
        threads[i] =
            new Thread(
                () -> {
                  try {
                    while (System.nanoTime() < endNs) {
                      mutex.acquire();
                      mutex.release();
                      pairs.increment();
                    }
                  } catch (Exception failure) {
                    failure.printStackTrace();
                    System.exit(1);
                  }
                });
        threads[i].start();
      }
      for (Thread thread : threads) thread.join();
      System.out.println(pairs.sum());
    }
    System.exit(0);
  }
}
