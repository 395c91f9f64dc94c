#!/usr/bin/env bash
# A program of several classes: compiled, packed, and run with its threads, its collector and its just-in-time compiler.
set -euo pipefail

mkdir -p /tmp/java/classes
cd /tmp/java
cat >Main.java <<'JAVA'
import java.nio.file.*;
import java.security.MessageDigest;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Main {
    record Point(int x, int y) {}

    public static void main(String[] arguments) throws Exception {
        var pool = Executors.newFixedThreadPool(8);
        var jobs = IntStream.range(0, 100).mapToObj(n -> pool.submit(() -> n * n)).toList();
        long sum = 0;
        for (var job : jobs) sum += job.get();
        pool.shutdown();
        check(sum == 328350, "threads");
        check(LongStream.range(0, 5_000_000).parallel().map(n -> n % 7).sum() == 14_999_995L, "streams");
        for (int i = 0; i < 200; i++) check(new byte[1 << 20].length > 0, "memory");
        System.gc();
        var file = Files.writeString(Files.createTempFile("a", "b"), "größer");
        check(Files.readString(file).length() == 6, "files");
        check(MessageDigest.getInstance("SHA-256").digest(new byte[0]).length == 32, "digests");
        check(ZonedDateTime.of(2024, 7, 1, 0, 0, 0, 0, ZoneId.of("Europe/Berlin")).getOffset().getTotalSeconds() == 7200, "zones");
        var child = new ProcessBuilder("echo", "child").redirectError(ProcessBuilder.Redirect.DISCARD).start();
        check(new String(child.getInputStream().readAllBytes()).equals("child\n"), "processes");
        check(new Point(1, 2).equals(new Point(1, 2)), "records");
        System.out.println("ended");
    }

    static void check(boolean condition, String what) {
        if (!condition) throw new IllegalStateException(what);
    }
}
JAVA
javac -d classes Main.java
jar --create --file main.jar --main-class Main -C classes .
java -jar main.jar | grep -qx ended
echo "java works"
